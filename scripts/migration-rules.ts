import { statementsOf, withoutComments } from "@/db/migration-files";

/** A reason in the statement's comments: `-- safe: the table is empty until this version`. */
const REASON = /^\s*-- safe: \S.{9,}/im;

type Rule = { pattern: RegExp; what: string };

const name = '(?:"?public"?\\.)?"?([\\w$]+)"?';

/** About tables that exist before the migration. Group 1 of each pattern is the table, where it can be told. */
const rules: Rule[] = [
  rule(
    `^create\\s+(?:unique\\s+)?index\\s+(?!concurrently)(?:if\\s+not\\s+exists\\s+)?\\S+\\s+on\\s+(?:only\\s+)?${name}`,
    "an index stops all writers while it is made: CREATE INDEX CONCURRENTLY IF NOT EXISTS",
  ),
  rule(
    `^alter\\s+table\\s+(?:only\\s+)?(?:if\\s+exists\\s+)?${name}.*\\balter\\s+(?:column\\s+)?\\S+\\s+(?:set\\s+data\\s+)?type\\b`,
    "a change of type rewrites the table: add a column and fill it in batches",
  ),
  rule(
    `^alter\\s+table\\s+(?:only\\s+)?${name}.*\\bset\\s+not\\s+null\\b`,
    "SET NOT NULL reads the table under a lock: first CHECK (… IS NOT NULL) NOT VALID, then VALIDATE CONSTRAINT",
  ),
  rule(
    `^alter\\s+table\\s+(?:only\\s+)?${name}.*\\badd\\s+(?:column\\s+)?(?:if\\s+not\\s+exists\\s+)?(?!constraint\\b)\\S+\\s+(?!.*\\bdefault\\b).*\\bnot\\s+null\\b`,
    "the version before inserts rows without this column: give it a default or let it be null",
  ),
  rule(
    `^alter\\s+table\\s+(?:only\\s+)?${name}.*\\badd\\s+(?!constraint\\b).*\\b(?:generated\\b|(?:big|small)?serial\\b|default\\s+(?:gen_random_uuid|random|clock_timestamp|nextval|uuidv?\\w*)\\s*\\()`,
    "a value that differs from row to row rewrites the table: add the column without it and fill it in batches",
  ),
  rule(
    `^alter\\s+table\\s+(?:only\\s+)?${name}.*\\badd\\s+constraint\\b(?=.*\\b(?:check|foreign\\s+key)\\b)(?!.*\\bnot\\s+valid\\b)`,
    "the constraint is checked under a lock: NOT VALID, and VALIDATE CONSTRAINT in a statement of its own",
  ),
  rule(
    `^alter\\s+table\\s+(?:only\\s+)?${name}.*\\badd\\s+(?:constraint\\s+\\S+\\s+)?(?:unique|primary\\s+key|exclude)\\b(?!.*\\busing\\s+index\\b)`,
    "its index stops all writers: make a unique index CONCURRENTLY, then ADD CONSTRAINT … USING INDEX",
  ),
  rule(
    `^alter\\s+table\\s+(?:only\\s+)?(?:if\\s+exists\\s+)?${name}.*\\b(?:drop\\s+column|rename)\\b`,
    "the version before still uses it: first a version that does not, then this",
  ),
  rule(
    `^drop\\s+table\\s+(?:if\\s+exists\\s+)?${name}`,
    "the version before still uses it: first a version that does not, then this",
  ),
  rule(
    "^drop\\s+(?:function|view|type|schema|sequence)\\b()",
    "the version before may still use it: say since when not",
  ),
  rule(
    `^drop\\s+index\\s+concurrently\\s+(?!if\\s+exists)${name}`,
    "a start after a crash repeats this: DROP INDEX CONCURRENTLY IF EXISTS",
  ),
  rule(
    `^(?:update|delete\\s+from|insert\\s+into|with\\b.*\\b(?:update|delete\\s+from|insert\\s+into))\\s+(?:only\\s+)?${name}`,
    "many rows in one transaction: limit the statement and repeat it (-- repeat)",
  ),
  rule(
    `^create\\s+table\\s+\\S+\\s+partition\\s+of\\s+${name}`,
    "it waits for every reader, and all settlements behind it: make a table and ATTACH it",
  ),
  rule(
    `^(?:lock|truncate|cluster|vacuum\\s+full|reindex(?!\\s+\\w+\\s+concurrently))\\b(?:\\s+(?:table|index))?\\s*${name}`,
    "it locks the whole table for as long as it takes",
  ),
  rule("^do\\b()", "what a block does cannot be told from outside"),
];

/** What in a migration would stop settlements or the version before; one line each. Reasons excuse. */
export function judgeMigration(text: string): string[] {
  const statements = statementsOf(text).map((part) => ({ ...part, bare: plain(part.text) }));
  const made = new Set(
    statements.flatMap(({ bare }) => tableOf(`^create\\s+table\\s+(?:if\\s+not\\s+exists\\s+)?${name}`, bare)),
  );
  return statements.flatMap((statement) => {
    if (REASON.test(statement.text)) return [];
    return rules.flatMap(({ pattern, what }) => {
      const table = pattern.exec(statement.bare)?.[1];
      if (table === undefined || made.has(table)) return [];
      if (statement.kind === "repeated" && what.includes("-- repeat")) return [];
      return [`${statement.bare.slice(0, 100)}: ${what}`];
    });
  });
}

function rule(pattern: string, what: string): Rule {
  return { pattern: new RegExp(pattern, "is"), what };
}

function tableOf(pattern: string, text: string): string[] {
  const table = new RegExp(pattern, "i").exec(text)?.[1];
  return table === undefined ? [] : [table];
}

function plain(text: string): string {
  return withoutComments(text).replace(/\s+/g, " ").trim();
}
