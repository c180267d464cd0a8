import type { Exchange } from "../http/exchange";

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
