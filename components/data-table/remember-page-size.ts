import { writeStored } from "@/components/ui/stored";
import { PAGE_SIZE_KEY } from "./list-params";

const ONE_YEAR = 31_536_000;

/** Stores the page size for all lists. The cookie tells the server, which renders the rows. */
export function rememberPageSize(size: number): void {
  writeStored(PAGE_SIZE_KEY, String(size));
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser
  document.cookie = `${PAGE_SIZE_KEY}=${size}; path=/; max-age=${ONE_YEAR}; samesite=lax`;
}
