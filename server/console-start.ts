import { connect } from "node:net";

const RETRY_MS = 200;

/**
 * Whether the console has listened at its port: asks again and again until it has. One that dies later is started again,
 * and keeps nobody from the API.
 */
export function watchConsoleStart(port: number): { hasStarted: () => boolean; stop: () => void } {
  let hasStarted = false;
  let isStopped = false;
  function ask(): void {
    if (isStopped) return;
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      hasStarted = true;
      socket.destroy();
    });
    socket.once("error", () => {
      setTimeout(ask, RETRY_MS).unref();
    });
  }
  ask();
  return {
    hasStarted: () => hasStarted,
    stop() {
      isStopped = true;
    },
  };
}
