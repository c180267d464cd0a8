/** The client's address as the gateway determined it (it overwrites what clients send). */
export function clientIpOf(headers: Headers): string {
  const forwarded = headers.get("x-forwarded-for")?.split(",")[0]?.trim() ?? "";
  return forwarded.slice(0, 64);
}

/** Whether the browser came over https, so that its cookies must be marked secure. */
export function isSecureRequest(headers: Headers): boolean {
  return headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https";
}
