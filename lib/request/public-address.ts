import { isSecureRequest } from "./client-address";

/** The option's default. It says nothing about where this installation is reachable. */
const UNSET_ADDRESS = "http://localhost:3000";

/** The public URL of this site, without a trailing slash: the configured address, else the one this request was sent to. */
export function publicAddressOf(configured: string, headers: Headers): string {
  if (configured !== "" && configured !== UNSET_ADDRESS) return configured.replace(/\/+$/, "");
  const host = (headers.get("x-forwarded-host") ?? headers.get("host") ?? "").split(",")[0]?.trim() ?? "";
  const address = `${isSecureRequest(headers) ? "https" : "http"}://${host}`;
  return host !== "" && URL.canParse(address) ? address : configured || UNSET_ADDRESS;
}
