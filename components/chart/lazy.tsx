"use client";

import dynamic from "next/dynamic";

function Loading() {
  return <div className="h-full animate-pulse rounded bg-muted" aria-hidden />;
}

// The chart library is large, so it is loaded only on pages that show a chart.
export const LazyBarChart = dynamic(() => import("./bar-chart"), { ssr: false, loading: Loading });
export const LazyDonutChart = dynamic(() => import("./donut-chart"), { ssr: false, loading: Loading });
export const LazyLineChart = dynamic(() => import("./line-chart"), { ssr: false, loading: Loading });
