/** The format reports none. */
export function readUsage(): null {
  return null;
}
