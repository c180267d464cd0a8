import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export type Statement = {
  text: string;
  /** How it runs: with its neighbours in one transaction, in one of its own, outside of any, or again and again. */
  kind: "ordinary" | "alone" | "concurrent" | "repeated";
};

export type Migration = {
  tag: string;
  /** Milliseconds; the order of migrations, and their key in the database. */
  when: number;
  /** Of the whole text. */
  hash: string;
  statements: Statement[];
};

type Journal = { entries: { tag: string; when: number }[] };

/** Repeats a statement, each time in a transaction of its own, until it changes no row. */
const REPEAT_MARK = /^\s*-- repeat\b/im;

/** The migrations of a folder that drizzle-kit keeps, in order. Throws when a listed file is missing. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const journal = JSON.parse(await readFile(join(folder, "meta", "_journal.json"), "utf8")) as Journal;
  return Promise.all(
    journal.entries.map(async ({ tag, when }) => {
      const text = await readFile(join(folder, `${tag}.sql`), "utf8");
      // The hash that drizzle-orm stores.
      return { tag, when, hash: createHash("sha256").update(text).digest("hex"), statements: statementsOf(text) };
    }),
  );
}

export function statementsOf(text: string): Statement[] {
  return text
    .split("--> statement-breakpoint")
    .filter((part) => withoutComments(part).trim() !== "")
    .map((part) => ({ text: part, kind: kindOf(part) }));
}

function kindOf(part: string): Statement["kind"] {
  const text = withoutComments(part);
  if (/^\s*((create|drop)\s+(unique\s+)?index|reindex\s+\w+|refresh\s+.*?view)\s+concurrently\b/i.test(text))
    return "concurrent";
  if (REPEAT_MARK.test(part)) return "repeated";
  // Its own transaction, because it reads the whole table: locks of statements before it would be held meanwhile.
  if (/\bvalidate\s+constraint\b/i.test(text)) return "alone";
  return "ordinary";
}

/** Line comments removed; bodies of functions keep theirs. */
export function withoutComments(text: string): string {
  return text.replace(/^\s*--.*$/gm, "");
}
