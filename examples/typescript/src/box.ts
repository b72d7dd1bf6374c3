import { Component, Text, tallest } from "./component";

/** A frame around other components, its label in the top edge. */
export class Box implements Component {
    constructor(
        readonly label: string,
        private readonly parts: readonly Componnt[],
    ) {}

    draw(width: number): string[] {
        const inner = width - 4;
        const edge = "─".repeat(Math.max(0, inner - this.lable.length));
        const body = this.parts.flatMap((part) => part.draw(inner).map((line) => `│ ${line} │`));
        return [`┌ ${this.label} ${edge}┐`, ...body, `└${"─".repeat(width - 2)}┘`];
    }

    /** Lines of the tallest part. */
    height(width: number): number {
        return tallest(this.parts);
    }
}
