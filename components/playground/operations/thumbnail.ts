import { asObject } from "../wire";
import { isPictureAddress, type Picture } from "./images";

/** A small copy of a picture; "" = it could not be made, or is too large to be kept. */
export type KeptPicture = { small: string; revised: string };

const SIDE_PX = 256;
const CHARACTERS_MAX = 40_000;
const KEPT_MAX = 4;

/** Small copies of the first pictures, for the history: whole ones would soon fill the browser's storage. */
export function keepPictures(pictures: readonly Picture[]): Promise<KeptPicture[]> {
  return Promise.all(
    pictures.slice(0, KEPT_MAX).map(async ({ blob, url, revised }) => ({
      small: blob ? await smallCopy(blob).catch(() => "") : url.length <= CHARACTERS_MAX ? url : "",
      revised,
    })),
  );
}

export const restorePictures = (kept: readonly KeptPicture[]): readonly Picture[] =>
  kept.map(({ small, revised }) => ({ blob: null, url: small, revised, kind: "thumbnail" }));

export function areKeptPictures(value: unknown): value is KeptPicture[] {
  return (
    Array.isArray(value) &&
    value.every((item) => {
      const { small, revised } = asObject(item);
      return typeof small === "string" && typeof revised === "string" && (small === "" || isPictureAddress(small));
    })
  );
}

async function smallCopy(blob: Blob): Promise<string> {
  const bitmap = await createImageBitmap(blob);
  const scale = Math.min(1, SIDE_PX / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const text = canvas.toDataURL("image/webp", 0.7);
  return text.length <= CHARACTERS_MAX ? text : "";
}
