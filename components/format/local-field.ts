/** Unix seconds as yyyy-MM-ddTHH:mm:ss in the browser's time zone. */
export function toLocalField(seconds: number): string {
  const date = new Date(seconds * 1000);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
