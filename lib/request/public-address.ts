import { AppError } from "@/lib/errors";
import { isSecureRequest } from "./client-address";

/** Shown where nobody has set the address and the request names no host. */
const EXAMPLE_ADDRESS = "http://localhost:3000";

/** The public URL of this site, without a trailing slash: the configured address, else the one this request was sent to. */
export function publicAddressOf(configured: string, headers: Headers): string {
  if (configured !== "") return configured.replace(/\/+$/, "");
  const host = (headers.get("x-forwarded-host") ?? headers.get("host") ?? "").split(",")[0]?.trim() ?? "";
  const address = `${isSecureRequest(headers) ? "https" : "http"}://${host}`;
  return host !== "" && URL.canParse(address) ? address : EXAMPLE_ADDRESS;
}

/**
 * The address for links that leave the site: mails, payment pages, notices. Only root's own setting counts, because
 * whoever sends a request chooses its Host header. Throws unavailable while it is not set (A148).
 */
export function confirmedAddress({ ServerAddress }: { ServerAddress: string }): string {
  if (ServerAddress === "") throw new AppError("unavailable", "serverAddressMissing");
  return ServerAddress;
}
