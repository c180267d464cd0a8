/**
 * Parts of texts, spread evenly over all of them, of about `most` characters together. Texts that are no longer than that
 * are returned whole. `span` = the length of a part.
 */
export function sampleTexts(
  texts: readonly string[],
  most: number,
  span: number,
): { parts: readonly string[]; share: number } {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length <= most) return { parts: texts, share: 1 };
  const stride = Math.ceil((length * span) / most);
  const parts: string[] = [];
  let seen = 0;
  let textAt = 0;
  for (const text of texts) {
    const end = textAt + text.length;
    for (let at = textAt - (textAt % stride); at < end; at += stride) {
      const part = text.slice(Math.max(0, at - textAt), Math.max(0, at + span - textAt));
      if (part === "") continue;
      parts.push(part);
      seen += part.length;
    }
    textAt = end;
  }
  return { parts, share: seen / length };
}
