import type { DrainPlan } from "./drain-limits";

/** What a process tells the supervisor. */
export type FromChild =
  /** It does what it is for. */
  | { type: "ready" }
  /** Something asks /readyz of it. */
  | { type: "probed" }
  /** It drains, and its port is closed. */
  | { type: "closed" }
  /** It is about to end, because of an error that nobody handled. */
  | { type: "failed"; reason: string };

/** What the supervisor tells a process. */
export type ToChild =
  | { type: "drain"; plan: DrainPlan }
  /** The gateway's: another console listens at the port. */
  | { type: "console-replaced" }
  /** The console's: answers of the playground end now. */
  | { type: "cut-off" };

export function tellSupervisor(message: FromChild): void {
  process.send?.(message);
}

/** Calls the listener for messages of the type. */
export function onSupervisor<Type extends ToChild["type"]>(
  type: Type,
  listener: (message: Extract<ToChild, { type: Type }>) => void,
): void {
  process.on("message", (message) => {
    if (typeOf(message) === type) listener(message as Extract<ToChild, { type: Type }>);
  });
}

export function typeOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "type" in message ? message.type : undefined;
}

/** Why a process says that it ends; undefined = it does not say that. */
export function reasonOf(message: unknown): string | undefined {
  return typeOf(message) === "failed" ? String((message as { reason?: unknown }).reason) : undefined;
}
