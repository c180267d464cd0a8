/** A transport unit of a stream: one server-sent event, or one line. */
export type Frame = {
  /** The event's name; null = it has none. */
  event: string | null;
  data: string;
};

/** A state machine without I/O. Its state is its own and changes in place: a copy per frame would cost too much. */
export type Machine<In, Out> = {
  /** Never throws on input from outside. */
  step(input: In): readonly Out[];
  /** The input is over. `isClean`: it was not broken off. Called once. */
  end(isClean: boolean): readonly Out[];
};
