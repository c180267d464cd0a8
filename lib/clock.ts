/** Unix seconds, the time unit of the wire contract. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
