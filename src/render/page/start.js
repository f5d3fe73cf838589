takeTables();
startPanel();
startSteps();
startTokens();
startExercises();
followAddress();
