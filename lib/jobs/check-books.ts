import type { Sql } from "@/db/client";
import { checkBooks, isCheckDue } from "@/lib/books/check-books-commands";

/** Checks the books once a night. */
export async function checkBooksNightly(sql: Sql): Promise<string> {
  if (!(await isCheckDue(sql))) return "not due";
  return `${(await checkBooks(sql)).length} differences`;
}
