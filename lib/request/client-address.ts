/** The client's address as set by the gateway, which overwrites this header on incoming requests. */
export function clientIpOf(headers: Headers): string {
  const forwarded = headers.get("x-forwarded-for")?.split(",")[0]?.trim() ?? "";
  return forwarded.slice(0, 64);
}

/** Whether the browser used https, so cookies must be marked Secure. */
export function isSecureRequest(headers: Headers): boolean {
  return headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https";
}
