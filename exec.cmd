@rem On Windows npm runs scripts by cmd, which has no "exec". In sh it puts Weir in the place of the shell that npm signals.
@%*
