/** Kinds of content that models take and give. */
export const MODALITIES = ["text", "image", "audio", "video", "file"] as const;
export type Modality = (typeof MODALITIES)[number];

/** The known words of a text, in the order of MODALITIES. */
export function readModalities(text: unknown): Modality[] {
  const words = typeof text === "string" ? text.split(" ") : [];
  return MODALITIES.filter((modality) => words.includes(modality));
}
