import { writeStored } from "@/components/ui/stored";
import { COLUMN_KEYS, type ColumnChoice, type ColumnList } from "./column-choice";

const ONE_YEAR = 31_536_000;

/** Stores the choice of columns of a list for this browser. The cookie tells the server, which renders the rows. */
export function rememberColumns(list: ColumnList, choice: ColumnChoice): void {
  const text = JSON.stringify(choice);
  writeStored(COLUMN_KEYS[list], text);
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser
  document.cookie = `${COLUMN_KEYS[list]}=${encodeURIComponent(text)}; path=/; max-age=${ONE_YEAR}; samesite=lax`;
}
