"use client";

import { useEffect, useRef, useState } from "react";
import { RefusedError } from "@/components/form/call-api";
import { useReportFailure } from "@/components/form/use-report-failure";
import { toast } from "@/components/ui/toast";
import { askPayment } from "./ask-payment";

const TYPING_PAUSE_MS = 300;
const ERROR_MS = 5_000;
/** A shared id, so that typing replaces the toast instead of adding more. */
const TOAST_ID = "topup-amount";

/**
 * The price of an amount, requested after a typing pause. Answers to earlier requests are dropped. Before the first answer
 * the price is `first` (B093, B269); a refusal shows one toast and the price "0.00".
 */
export function usePayable(first: string) {
  const report = useReportFailure();
  const [payable, setPayable] = useState(first);
  const [pending, setPending] = useState(false);
  const asked = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const ask = async (amount: number): Promise<string | null> => {
    clearTimeout(timer.current);
    asked.current += 1;
    const own = asked.current;
    setPending(true);
    try {
      const { data } = await askPayment("/api/user/amount", { amount, top_up_code: "" });
      const text = String(data);
      if (own === asked.current) setPayable(text);
      return text;
    } catch (error) {
      if (own === asked.current) {
        setPayable("0.00");
        if (error instanceof RefusedError) toast.error(error.message, { id: TOAST_ID, duration: ERROR_MS });
        else report(error);
      }
      return null;
    } finally {
      if (own === asked.current) setPending(false);
    }
  };
  const askLater = (amount: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void ask(amount), TYPING_PAUSE_MS);
  };
  return { payable, pending, ask, askLater };
}
