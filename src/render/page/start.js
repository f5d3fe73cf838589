takeTables();
startPanel();
startSteps();
startTokens();
startExercises();
startPaper();
followAddress();
