import { cn } from "@/components/ui/class-names";

type ProgressBarProps = { progress: string; failed: boolean; label: string };

/** "40%" as a bar; a value that is no percentage is shown as text. */
export function ProgressBar({ progress, failed, label }: ProgressBarProps) {
  const percent = percentOf(progress);
  if (percent === null) return progress || "—";
  return (
    <span className="inline-flex items-center gap-2">
      <span
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="h-1.5 w-12 overflow-hidden rounded-full bg-border"
      >
        <span
          className={cn("block h-full rounded-full", failed ? "bg-warning" : "bg-primary")}
          style={{ width: `${percent}%` }}
        />
      </span>
      <span className="tabular-nums text-xs">{percent}%</span>
    </span>
  );
}

/** 0 to 100; null if the value is no percentage. */
export function percentOf(progress: string): number | null {
  const found = /^(\d{1,3})(?:\.\d+)?%?$/.exec(progress.trim());
  return found ? Math.min(100, Number(found[1])) : null;
}
