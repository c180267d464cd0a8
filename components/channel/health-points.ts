import { addBuckets, percentile } from "@/lib/health/buckets";

/** One channel in one hour. `hour` is in unix seconds; `latency` holds the counts per bucket of successful requests. */
export type HealthPoint = { hour: number; succeeded: number; failed: number; quota: number; latency: number[] };
export type HealthStep = "hour" | "day";

/** One hour or day in the browser's time zone. Times are null where no request succeeded. */
export type HealthSpan = {
  at: string;
  label: string;
  succeeded: number;
  failed: number;
  quota: number;
  p50Ms: number | null;
  p95Ms: number | null;
};

const HOUR = 3_600;
const pad = (value: number) => String(value).padStart(2, "0");

function spanOf(hour: number, step: HealthStep): { at: string; label: string } {
  const date = new Date(hour * 1_000);
  const day = `${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const label = step === "day" ? day : `${day} ${pad(date.getHours())}:00`;
  return { label, at: `${date.getFullYear()}-${label}` };
}

/** Every hour or day of a window in order, including those without requests. */
export function fillPoints(
  points: readonly HealthPoint[],
  from: number,
  until: number,
  step: HealthStep,
): HealthSpan[] {
  const spans = new Map<string, { label: string; points: HealthPoint[] }>();
  for (let hour = from - (from % HOUR); hour <= until; hour += HOUR) {
    const { at, label } = spanOf(hour, step);
    if (!spans.has(at)) spans.set(at, { label, points: [] });
  }
  for (const point of points) spans.get(spanOf(point.hour, step).at)?.points.push(point);
  return [...spans].map(([at, { label, points: own }]) => {
    const latency = own.reduce<number[]>((sum, point) => addBuckets(sum, point.latency), []);
    const sum = (pick: (point: HealthPoint) => number) => own.reduce((total, point) => total + pick(point), 0);
    return {
      at,
      label,
      succeeded: sum((point) => point.succeeded),
      failed: sum((point) => point.failed),
      quota: sum((point) => point.quota),
      p50Ms: percentile(latency, 0.5),
      p95Ms: percentile(latency, 0.95),
    };
  });
}
