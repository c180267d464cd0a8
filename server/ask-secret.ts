import { text } from "node:stream/consumers";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

/** The first line of the standard input. */
export async function readSecretLine(): Promise<string> {
  return (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? "";
}

/** Asks on the terminal without showing what is typed. Throws when there is no terminal or Ctrl-C is pressed. */
export async function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) throw new Error("There is no terminal to ask on. Give --stdin or --generate.");
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  try {
    return await typedLine();
  } finally {
    stdin.setRawMode(false);
    stderr.write("\n");
  }
}

async function typedLine(): Promise<string> {
  let typed: string[] = [];
  for await (const data of process.stdin.iterator({ destroyOnReturn: false })) {
    for (const character of String(data)) {
      if (character === "\r" || character === "\n" || character === CTRL_D) return typed.join("");
      if (character === CTRL_C) throw new Error("Cancelled; nothing was changed.");
      if (character === "\u007f" || character === "\b") typed = typed.slice(0, -1);
      else typed.push(character);
    }
  }
  return typed.join("");
}
