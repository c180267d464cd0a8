/** A unit of a stream: one server-sent event, or one line. */
export type Frame = {
  /** Event name; null = none. */
  event: string | null;
  data: string;
};

/** A state machine without I/O. Its state is private and mutable: copying it for every frame would cost too much. */
export type Machine<In, Out> = {
  /** Must not throw on any input from outside. */
  step(input: In): readonly Out[];
  /** Called once, after the last input. `isClean` is false when the stream was cut off. */
  end(isClean: boolean): readonly Out[];
};
