import type { Lane } from "../http/attempt/race";
import type { Exchange } from "../http/exchange";

/** Waits for what others have to give before the request can be sent. Null = the client left first. Attempts side by side learn of it from their race. */
export async function whileThere<Value>(
  exchange: Exchange,
  lane: Lane | undefined,
  waiting: Promise<Value>,
): Promise<Value | null> {
  exchange.others.enter(performance.now());
  try {
    return await (lane ? waiting : Promise.race([waiting, gone(exchange)]));
  } finally {
    exchange.others.leave(performance.now());
    if (!lane) exchange.whenGone(null);
  }
}

function gone(exchange: Exchange): Promise<null> {
  return new Promise((resolve) => exchange.whenGone(() => resolve(null)));
}

/** Ends early when the client disconnects; the next attempt finds out. */
export function pause(exchange: Exchange, ms: number): Promise<void> {
  return new Promise((done) => {
    exchange.others.enter(performance.now());
    const timer = setTimeout(end, ms);
    function end(): void {
      exchange.others.leave(performance.now());
      clearTimeout(timer);
      exchange.whenGone(null);
      done();
    }
    exchange.whenGone(end);
  });
}
