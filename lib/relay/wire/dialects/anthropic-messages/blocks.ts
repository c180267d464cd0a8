import { type Json, readList, readObject, readText } from "../../canonical/json";

/** Content as blocks; a plain string becomes one text block. */
export function blocksOf(content: unknown): readonly Json[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return readList(content).map(readObject);
}

/** The blocks of a message, including those inside its tool results. */
export function allBlocks(message: unknown): Json[] {
  const blocks: Json[] = [];
  for (const block of blocksOf(readObject(message).content)) {
    blocks.push(block);
    if (block.type === "tool_result") for (const inner of blocksOf(block.content)) blocks.push(inner);
  }
  return blocks;
}

/** The text of a text block or a plain-text document; "" = none. */
export function blockText(block: Json): string {
  if (block.type === "text") return readText(block.text);
  const source = readObject(block.source);
  return block.type === "document" && source.type === "text" ? readText(source.data) : "";
}
