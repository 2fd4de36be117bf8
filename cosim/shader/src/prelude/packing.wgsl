// Functions follow.
