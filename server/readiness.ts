import type { IncomingMessage, ServerResponse } from "node:http";

/** Why no requests are to be sent here. */
export type Unready = "starting" | "draining" | "fenced" | "full";

/** Whether a process takes requests; what /readyz says. */
export type Readiness = {
  /** Null = it does. Costs no query. */
  reason(): Unready | null;
  /** The same, for who asks from outside. */
  probe(): Unready | null;
  started(): void;
  /** For good. Requests that come all the same are served. */
  draining(): void;
  /** Asked by each `reason()`. */
  check(check: () => Unready | null): void;
};

/** `onProbed` is called when it is asked from outside for the first time. */
export function createReadiness(onProbed: () => void = () => {}): Readiness {
  let isProbed = false;
  let state: Unready | null = "starting";
  const checks: (() => Unready | null)[] = [];
  return {
    reason() {
      if (state) return state;
      for (const check of checks) {
        const found = check();
        if (found) return found;
      }
      return null;
    },
    started() {
      if (state === "starting") state = null;
    },
    draining() {
      state = "draining";
    },
    check: (check) => void checks.push(check),
    probe() {
      if (!isProbed) onProbed();
      isProbed = true;
      return this.reason();
    },
  };
}

/** Answers /healthz and /readyz; false = the request is for something else. */
export function answerProbe(request: IncomingMessage, response: ServerResponse, readiness: Readiness): boolean {
  const { url } = request;
  if (url !== "/readyz" && url !== "/healthz") return false;
  const reason = url === "/healthz" ? null : readiness.probe();
  const body = `${reason ?? "ok"}\n`;
  response.writeHead(reason ? 503 : 200, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": body.length,
    "cache-control": "no-store",
  });
  response.end(request.method === "HEAD" ? undefined : body);
  return true;
}
