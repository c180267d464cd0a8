import type { Locale } from "@/lib/i18n/locale";
import { REFUSALS, type RefusalRow, type RefusalTopic } from "./refusal-table";
import { aboutTopic } from "./refusal-texts";

/** A code of the table as callers of each dialect see it. */
export type TopicCode = { code: string; type: string; status: number; anthropicStatus: number; mayWait: boolean };

/** A part of the page of errors. */
export type Topic = { id: RefusalTopic; title: string; cause: string; mend: string; codes: TopicCode[] };

/** The page of errors: every refusal of the table by what it is about, in the order of the table. */
export function refusalTopics(locale: Locale): Topic[] {
  const topics = new Map<RefusalTopic, TopicCode[]>();
  for (const [name, row] of Object.entries<RefusalRow>(REFUSALS)) {
    const { status, type, anthropic = row, retry, about, code = name } = row;
    const shown = { code, type, status, anthropicStatus: anthropic.status, mayWait: retry === "wait" };
    const codes = topics.get(about) ?? [];
    // Rows that differ in their text only are one code.
    if (!codes.some((one) => JSON.stringify(one) === JSON.stringify(shown))) codes.push(shown);
    topics.set(about, codes);
  }
  return [...topics].map(([id, codes]) => {
    const { title, cause, mend } = aboutTopic(id, locale);
    return { id, title, cause, mend, codes };
  });
}

/** The same as docs/errors.md. */
export function errorsMarkdown(): string {
  const parts = refusalTopics("en").map(({ id, title, cause, mend, codes }) => {
    const rows = codes.map(({ code, type, status, anthropicStatus, mayWait }) => {
      const ofAnthropic = anthropicStatus === status ? "" : ` (Anthropic's callers: ${anthropicStatus})`;
      return [code === "" ? "" : `\`${code}\``, `\`${type}\``, `${status}${ofAnthropic}`, mayWait ? "yes" : "no"];
    });
    const table = tableOf(["code", "type", "status", "again"], rows);
    return [`## ${title}`, "", `<a id="${id}"></a>${cause} ${mend}`, "", ...table, ""].join("\n");
  });
  return `${LEAD}\n${parts.join("\n")}`;
}

/** With columns of one width, as the formatter writes them. */
function tableOf(head: string[], rows: string[][]): string[] {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  const line = (cells: string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)];
}

const LEAD = `# Errors

What each refusal of the API means and what mends it. An installation serves this page at \`/errors\` in Chinese and English, and
every refusal links to its part there (header \`Link\`). It is generated from \`lib/relay/base/refusals/refusal-table.ts\`:
\`npx vitest run lib/relay/admission/refusals -u\` writes it anew. [clients/](clients/README.md) says how each is shown by the programs that people use.

- **again: no** means that waiting does not mend it. The reply has \`x-should-retry: false\`, by which official clients ask once,
  and no \`Retry-After\`. Programs that ask again all the same get 400 instead of the statuses that they repeat
  ([retries.md](retries.md)).
- **again: yes** means that the same request may be served soon. Where the time is known and a minute at most, the reply has
  \`Retry-After\` in seconds and \`retry-after-ms\`; Google's callers find it as \`google.rpc.RetryInfo\`. A longer time is told as
  \`x-should-retry: false\` with \`x-weir-resets-at\`, because clients obey a long \`Retry-After\` and seem to hang.
- Texts are in the language of \`Accept-Language\`, English where it names neither Chinese nor English. They end with the id of the
  request.
- Types are OpenAI's. Anthropic's and Google's callers get the word of their API for the status (contract §4.6).
- A realtime session is closed with 1013 where asking again soon may help (429, 503), with 1011 for other failures, else with 1008.
`;
