/** The generation of a Gemini model, as 2.5; null = the name does not tell. */
function generationOf(model: string): number | null {
  const found = /gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1];
  return found === undefined ? null : Number(found);
}

/** From Gemini 3 on: levels of thinking, pictures within the results of tools, and signatures that must come back. */
export function isNewest(model: string): boolean {
  return (generationOf(model) ?? 0) >= 3;
}

/** From Gemini 3.5 on these are refused. */
export function takesPenalties(model: string): boolean {
  return (generationOf(model) ?? 0) < 3.5;
}

/** Up to Gemini 2.0: no thinking, and only the older form of schemas. */
export function isOld(model: string): boolean {
  return (generationOf(model) ?? 3) < 2.5 || /gemma|learnlm/.test(model);
}

/** The least and the largest thinking budget of a model that takes one. */
export function budgetsOf(model: string): { min: number; max: number } {
  if (/2\.5-pro/.test(model)) return { min: 128, max: 32_768 };
  return /flash-lite/.test(model) ? { min: 512, max: 24_576 } : { min: 1, max: 24_576 };
}

/** Others think at least at the level "low". */
export function thinksMinimally(model: string): boolean {
  return /gemini-3(?:\.[0-5])?-flash/.test(model);
}
