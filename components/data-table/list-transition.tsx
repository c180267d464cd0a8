"use client";

import { createContext, type ReactNode, type TransitionStartFunction, useContext, useTransition } from "react";
import { cn } from "@/components/ui/class-names";
import { ListErrorBoundary } from "./list-error";

const Context = createContext<{ pending: boolean; startTransition: TransitionStartFunction }>({
  pending: false,
  startTransition: (run) => {
    run();
  },
});

/** Filters, paging and sorting of one list share a transition, so that old rows stay until new ones arrive. */
export function ListTransition({ children }: { children: ReactNode }) {
  const [pending, startTransition] = useTransition();
  return <Context value={{ pending, startTransition }}>{children}</Context>;
}

export const useListTransition = () => useContext(Context);

/** The part of a list that reloads: dimmed and announced as busy meanwhile. */
export function ListBody({ children }: { children: ReactNode }) {
  const { pending } = useListTransition();
  return (
    <div aria-busy={pending} className={cn("transition-opacity duration-150", pending && "opacity-60")}>
      <ListErrorBoundary>{children}</ListErrorBoundary>
    </div>
  );
}
