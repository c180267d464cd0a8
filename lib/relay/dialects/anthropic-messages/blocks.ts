import { type Json, readObject, readText } from "../../canonical/json";

/** Content as blocks: it may be given as text. */
export function blocksOf(content: unknown): readonly Json[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.map(readObject) : [];
}

/** The blocks of a message and those inside its results of tools. */
export function allBlocks(message: unknown): Json[] {
  return blocksOf(readObject(message).content).flatMap((block) =>
    block.type === "tool_result" ? [block, ...blocksOf(block.content)] : [block],
  );
}

/** The text that a block holds, or a document's; "" = none. */
export function blockText(block: Json): string {
  if (block.type === "text") return readText(block.text);
  const source = readObject(block.source);
  return block.type === "document" && source.type === "text" ? readText(source.data) : "";
}
