import { RULE_ROWS } from "./rows";
import type { RuleRow, Rules } from "./schema";

const HEAD = [
  ...["Models", "At", "Thinks", "Told by", "Off by", "Efforts", "Thoughts that go back", "Forced tools"],
  ...["Refused sampling", "Chat tools", "Tool schemas", "Role developer", "Files", "Source, checked"],
];

/** Families of models and what is known of them, as Markdown. */
export function rulesTable(rows: readonly RuleRow[] = RULE_ROWS): string {
  const lines = [HEAD, HEAD.map(() => "---"), ...rows.map(cellsOf)];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function cellsOf(row: RuleRow): string[] {
  const { family, at = [], efforts, sampling, limit, source, checked } = row;
  return [
    ...[family, at.join(", "), thinksText(row), row.word ? `\`${row.word}\`` : "", offText(row)],
    efforts === undefined ? "" : efforts.length === 0 ? "none known" : efforts.join(", "),
    row.thoughtsBack === undefined ? "" : row.thoughtsBack === "all" ? "all" : "of turns with calls",
    forcedText(row),
    [sampling?.join(", ") ?? "", row.samplingWithoutThoughts ? "taken without thoughts" : "", limit ?? ""]
      .filter((text) => text !== "")
      .join("; "),
    row.responsesOnly ? "Responses API only" : (row.chatTools ?? ""),
    schemasText(row),
    row.developer === "by address" ? "developer at the provider's own address, else system" : (row.developer ?? ""),
    row.files ? ["PDF", ...row.files].join(", ") : "",
    `${source}, ${checked}`,
  ];
}

function thinksText({ thinks, thinksUnasked, thinksInStreams }: Rules): string {
  const usual = thinksUnasked === undefined || thinks === "always" ? "" : thinksUnasked ? ", by default" : ", if asked";
  const text = thinks === undefined ? "" : thinks === "choice" ? `can${usual}` : thinks;
  return thinksInStreams ? `${text}, in streams` : text;
}

function forcedText({ forcedTools }: Rules): string {
  if (forcedTools === undefined) return "";
  if (forcedTools === "without thoughts") return "while it does not think, else asked for in words";
  return forcedTools ? "yes" : "no: asked for in words";
}

/** Which schemas are kept to. */
function schemasText({ answerSchema, schemaWithout, strictMax }: Rules): string {
  const { tools, optional, unions } = strictMax ?? {};
  return [
    answerSchema === undefined ? "" : answerSchema ? "kept to" : "not kept to: asked for in words",
    strictMax ? `at most ${tools} strict tools, with ${optional} optional properties and ${unions} choices` : "",
    schemaWithout ? `told in words: ${schemaWithout.join(", ")}` : "",
  ]
    .filter((text) => text !== "")
    .join("; ");
}

/** What is sent to a model that should not think. */
function offText({ thinks, word, off, efforts }: Rules): string {
  if (thinks === undefined && word === undefined && off === undefined) return "";
  if (thinks === "never") return "nothing to say";
  const least = efforts?.find((effort) => effort !== "none");
  if (thinks === "always") return least ? `least: ${least}` : "cannot be";
  if (off !== undefined) return off === "" ? "nothing to say" : `type ${off}`;
  const words = {
    ...{ effort: "none", reasoning: "effort none", thinking: "type disabled", adaptive: "type disabled" },
    ...{ enable_thinking: "false", thinkingBudget: "0", level: "", reasoningConfig: "type disabled" },
    ...{ chat_template_kwargs: "enable_thinking false" },
    ...{ output_config: "type disabled", budget: "nothing to say" },
  };
  return word ? words[word] : "";
}
