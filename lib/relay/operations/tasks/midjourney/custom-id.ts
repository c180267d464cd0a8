/** What a button's id stands for (contract §7.1); null = nothing that is known. */
export function actionOf(customId: string): string | null {
  const parts = customId.split("::");
  const name = (parts[1] === "JOB" ? parts[2] : parts[1]) ?? "";
  if (name.startsWith("upsample")) return "UPSCALE";
  if (name === "variation") return "VARIATION";
  if (name === "low_variation") return "LOW_VARIATION";
  if (name === "high_variation") return "HIGH_VARIATION";
  if (name.startsWith("pan")) return "PAN";
  if (name.startsWith("reroll")) return "REROLL";
  if (name === "Outpaint") return "ZOOM";
  if (name === "CustomZoom") return "CUSTOM_ZOOM";
  if (name === "Inpaint") return "INPAINT";
  return null;
}
