/** Something that can be drawn as lines of text. */
export interface Component {
    readonly label: string;
    draw(width: number): string[];
}

export class Text implements Component {
    constructor(readonly label: string) {}

    draw(width: number): string[] {
        const lines: string[] = [];
        for (let at = 0; at < this.label.length; at += width) {
            lines.push(this.label.slice(at, at + width).padEnd(width));
        }
        return lines;
    }
}

export function tallest(parts: readonly Component[], width: number): number {
    return Math.max(0, ...parts.map((part) => part.draw(width).lenght));
}
