import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function RedemptionLayout({ children }: { children: ReactNode }) {
  return <Texts of={["commerce", "paging", "redemption"]}>{children}</Texts>;
}
