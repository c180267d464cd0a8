/** The generation of a Gemini model, as 2.5; null = the name does not tell. */
function generationOf(model: string): number | null {
  const found = /gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1];
  return found === undefined ? null : Number(found);
}

/** From Gemini 3 on: pictures within the results of tools, and signatures that must come back. */
export function isNewest(model: string): boolean {
  return (generationOf(model) ?? 0) >= 3;
}

/** Up to Gemini 2.0: only the older form of schemas. */
export function isOld(model: string): boolean {
  return (generationOf(model) ?? 3) < 2.5 || /gemma|learnlm/.test(model);
}
