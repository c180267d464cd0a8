/** What a signal to the supervisor asks for. `isTyped`: by Ctrl-C. */
export type Signals = {
  onStop: (signal: string, isTyped: boolean) => void;
  onStopAtOnce: () => void;
  onReplace: () => void;
};

const AGAIN_MS = 1_000;

/** SIGHUP also says that the terminal was closed, which stops what runs in it. */
export function listenToSignals({ onStop, onStopAtOnce, onReplace }: Signals, isInTerminal: boolean): void {
  let firstAt = 0;
  function stop(signal: string): void {
    // A terminal and npm both forward the same Ctrl-C, so only a signal more than a second later means "stop at once".
    if (firstAt === 0) {
      firstAt = Date.now();
      onStop(signal, signal === "SIGINT");
    } else if (Date.now() - firstAt > AGAIN_MS) onStopAtOnce();
  }
  process.on("SIGINT", () => stop("SIGINT"));
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGHUP", () => (isInTerminal ? stop("SIGHUP") : onReplace()));
}
