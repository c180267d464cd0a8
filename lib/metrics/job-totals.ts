import { counter, type Family, gauge, type Sample } from "./family";

type Outcome = "done" | "failed";
type Totals = { done: number; failed: number; seconds: number; lastDoneAt: number | null };

/** The runs of background jobs in this process since its start. */
export class JobTotals {
  private readonly jobs = new Map<string, Totals>();

  done(job: string, tookMs: number): void {
    const totals = this.of(job);
    totals.done += 1;
    totals.seconds += tookMs / 1_000;
    totals.lastDoneAt = Date.now() / 1_000;
  }

  failed(job: string): void {
    this.of(job).failed += 1;
  }

  read(): Family[] {
    const runs: Sample[] = [];
    const seconds: Sample[] = [];
    const last: Sample[] = [];
    for (const [job, totals] of this.jobs) {
      for (const outcome of ["done", "failed"] satisfies Outcome[]) {
        runs.push({ labels: { task: job, outcome }, value: totals[outcome] });
      }
      seconds.push({ labels: { task: job }, value: totals.seconds });
      if (totals.lastDoneAt !== null) last.push({ labels: { task: job }, value: totals.lastDoneAt });
    }
    return [
      counter("weir_job_runs_total", "Runs of background jobs", runs),
      counter("weir_job_seconds_total", "Time that successful runs took", seconds),
      gauge("weir_job_last_success_timestamp_seconds", "When a job last ended well, in unix seconds", last, "max"),
    ];
  }

  private of(job: string): Totals {
    let totals = this.jobs.get(job);
    if (!totals) {
      totals = { done: 0, failed: 0, seconds: 0, lastDoneAt: null };
      this.jobs.set(job, totals);
    }
    return totals;
  }
}
