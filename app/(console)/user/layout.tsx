import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function UserLayout({ children }: { children: ReactNode }) {
  return <Texts of={["limit", "paging", "token.badge", "user"]}>{children}</Texts>;
}
