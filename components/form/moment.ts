/** Unix seconds as yyyy-MM-ddTHH:mm:ss in the browser's time zone. */
function toLocalField(seconds: number): string {
  const date = new Date(seconds * 1000);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** A moment as typed: a date (yyyy-MM-dd) and a time of day (HH:mm, 24 hours), in the browser's time zone. */
export type MomentText = { date: string; time: string };

export const NO_MOMENT: MomentText = { date: "", time: "" };

export function toMomentText(seconds: number | null): MomentText {
  if (seconds === null) return NO_MOMENT;
  return splitLocalMoment(toLocalField(seconds));
}

/** The parts of yyyy-MM-ddTHH:mm; seconds are left out. */
export const splitLocalMoment = (local: string): MomentText => ({
  date: local.slice(0, 10),
  time: local.slice(11, 16),
});

/** Unix seconds; null when nothing is typed, undefined when it is not a moment. Without a time of day it is midnight. */
export function readMoment(text: MomentText): number | null | undefined {
  const local = readLocalMoment(text);
  return typeof local === "string" ? Math.floor(new Date(local).getTime() / 1000) : local;
}

/** Like readMoment, but as yyyy-MM-ddTHH:mm in no time zone. */
export function readLocalMoment({ date, time }: MomentText): string | null | undefined {
  if (date.trim() === "") return time.trim() === "" ? null : undefined;
  const [, hours = "0", minutes = "00"] = /^(\d{1,2}):?(\d{2})$/.exec(time.trim()) ?? [];
  const isTime = time.trim() === "" || /^([01]?\d|2[0-3]):?[0-5]\d$/.test(time.trim());
  const local = `${date.trim()}T${hours.padStart(2, "0")}:${minutes}`;
  return isTime && !Number.isNaN(new Date(local).getTime()) ? local : undefined;
}
