import type { Exchange } from "../exchange";
import type { Lane } from "../transport/race";

/** Null = the client left first. Attempts side by side learn of it from their race. */
export async function whileThere<Value>(
  exchange: Exchange,
  lane: Lane | undefined,
  waiting: Promise<Value>,
): Promise<Value | null> {
  if (lane) return waiting;
  const gone = new Promise<null>((resolve) => exchange.whenGone(() => resolve(null)));
  try {
    return await Promise.race([waiting, gone]);
  } finally {
    exchange.whenGone(null);
  }
}
