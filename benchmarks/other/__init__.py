"""Problems that resemble no built-in task, each with its optimum or the best that is published."""
