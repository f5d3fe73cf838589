takeTables();
startPanel();
startSteps();
startTokens();
startExercises();
startEditing();
startPaper();
followAddress();
