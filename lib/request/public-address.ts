import { isSecureRequest } from "./client-address";

/** The default of the option, which says nothing about where this installation really is. */
const UNSET_ADDRESS = "http://localhost:3000";

/** Where browsers reach this site, without a trailing slash: the configured address, else the one this request came by. */
export function publicAddressOf(configured: string, headers: Headers): string {
  if (configured !== "" && configured !== UNSET_ADDRESS) return configured.replace(/\/+$/, "");
  const host = (headers.get("x-forwarded-host") ?? headers.get("host") ?? "").split(",")[0]?.trim() ?? "";
  const address = `${isSecureRequest(headers) ? "https" : "http"}://${host}`;
  return host !== "" && URL.canParse(address) ? address : configured || UNSET_ADDRESS;
}
