import { readFileSync } from "node:fs";
import { ADDRESSES } from "./evening-machines";

export type Step = {
  /** The words before the commands. */
  title: string;
  machines: string[];
  /** One machine after the other. */
  isInTurn: boolean;
  commands: string;
};

const NAMES = Object.keys(ADDRESSES);

type Block = { before: string; commands: string };

/** The sh blocks of a section, each with the paragraph before it. */
function blocks(file: string, heading: string): Block[] {
  const section = readFileSync(file, "utf8")
    .split(/^(?=## )/m)
    .find((part) => part.startsWith(`## ${heading}\n`));
  if (!section) throw new Error(`${file} has no section ${heading}`);
  const parts = section.split(/^```sh\n([\s\S]*?)^```$/m);
  const found: Block[] = [];
  for (let at = 1; at < parts.length; at += 2) found.push({ before: parts[at - 1] ?? "", commands: parts[at] ?? "" });
  return found;
}

/** Whom the last sentence that names machines names, as in `On pg1, then on pg2:`. */
function machinesOf(text: string): Pick<Step, "title" | "machines" | "isInTurn"> {
  const sentences = text.replace(/\s+/g, " ").split(/(?<=[.:]) /);
  const named = sentences.filter((sentence) => /\b(on|every)\b/i.test(sentence) && wordsOf(sentence).length > 0);
  const title = (named.at(-1) ?? "").trim();
  const machines = /every machine/i.test(title) ? NAMES : wordsOf(title);
  if (machines.length === 0) throw new Error(`No machine is named before a block: ${text.slice(-200)}`);
  return { title, machines, isInTurn: /then on/.test(title) };
}

function wordsOf(sentence: string): string[] {
  if (/every machine/i.test(sentence)) return NAMES;
  return NAMES.filter((name) => new RegExp(`\\b${name}\\b`).test(sentence));
}

/** All commands of docs/cluster.md in their order, with those of docs/operations/deploy.md where it says so. */
export function readSteps(): Step[] {
  const weir = blocks("docs/operations/deploy.md", "systemd").map(({ commands }) => commands);
  const steps: Step[] = [];
  const add = (text: string, commands: string) => steps.push({ ...machinesOf(text), commands });
  for (const { before, commands } of blocks("docs/cluster.md", "Set it up")) {
    const paragraphs = before.split("\n\n");
    for (const paragraph of paragraphs) {
      if (/first two blocks of\s+\[deploy\.md\]/.test(paragraph)) {
        steps.push({
          title: "deploy.md, Node.js",
          machines: ["weir1", "weir2"],
          isInTurn: false,
          commands: weir[0] ?? "",
        });
        steps.push({ title: "deploy.md, the program", machines: ["weir1"], isInTurn: false, commands: weir[1] ?? "" });
      }
      if (/last block of\s+\[deploy\.md\]/.test(paragraph)) add(paragraph.split("].")[0] ?? paragraph, weir[2] ?? "");
    }
    add(before, commands);
  }
  return steps;
}
