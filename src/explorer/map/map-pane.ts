/**
 * A pane with the map: the backdrop as a bitmap, and drawings on top of it as SVG. While the user moves the map, a
 * cheap CSS transform is applied to both. Afterwards both are redrawn for the new view, the bitmap in slices of some
 * milliseconds. The canvas is hidden from screen readers; the page that contains the pane shows the same information as
 * text and tables.
 */
import { html, nothing, render, svg, type TemplateResult } from 'lit-html';
import { type MapColumns, POSITION_SPAN } from '../../map-files/columns.ts';
import { degreesOf } from '../nodes.ts';
import { colour, onTheme } from '../theme.ts';
import { drawMap, type MapSize, type MapView, nodeAt, viewOf, wholeView } from './map-draw.ts';

/** Milliseconds without movement before the bitmap is redrawn. */
const REST_MS = 100;
/** Maximum milliseconds of drawing without a break. */
const SLICE_MS = 8;
/** Maximum device pixels per CSS pixel of the bitmap. A higher resolution costs much time and shows little more. */
const MAX_RATIO = 2;
const WHEEL = 0.0016;
const KEY_STEP = 60;
const KEY_ZOOM = 1.3;
const MAX_ZOOM = 120;

/**
 * Makes the drawing on top of the map.
 * @param at returns the position of a node in pixels of the pane
 * @param span width of the whole map in pixels
 * @param width width of the pane in pixels
 */
export type Overlay = (
  at: (node: number) => readonly [number, number],
  span: number,
  width: number,
) => TemplateResult | typeof nothing;

/** Pixels to keep free for a name. */
const NAME_ROOM = 130;

/** A name next to a point: to the right of it, or to the left near the edge of the pane. */
export function mapWord(
  text: string,
  [x, y]: readonly [number, number],
  away: number,
  width: number,
  kind = 'map-word',
): TemplateResult {
  const isAtEnd = x + NAME_ROOM > width && x > NAME_ROOM;
  return svg`<text class=${kind} x=${isAtEnd ? x - away : x + away} y=${y + 5}
    text-anchor=${isAtEnd ? 'end' : 'start'}>${text}</text>`;
}

/** Options of a pane. */
export interface MapPaneOptions {
  /** Description of the content for a screen reader. */
  readonly label: string;
  /** Called with the clicked node. Undefined if no node is near. */
  readonly picked?: (node: number | undefined) => void;
  /** Fires when the user leaves the page. */
  readonly left: AbortSignal;
}

/** A pane with the map. Add its `element` to the page. */
export class MapPane {
  readonly element = document.createElement('div');
  readonly #layer = document.createElement('div');
  readonly #canvas = document.createElement('canvas');
  readonly #svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  readonly #options: MapPaneOptions;
  #columns: MapColumns | undefined;
  #degree: Uint32Array = new Uint32Array(0);
  #overlay: Overlay = () => nothing;
  #view: MapView = { x: 0, y: 0, scale: 1 };
  /** The view for which the bitmap and the SVG were last drawn. */
  #drawn: MapView = { x: 0, y: 0, scale: 1 };
  #size: MapSize = { width: 0, height: 0 };
  #shown: readonly number[] = [];
  /** Whether the user has moved the map since the last call of `show` or `focus`. */
  #isMoved = false;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #run = 0;
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #moved = 0;

  constructor(options: MapPaneOptions) {
    this.#options = options;
    this.element.className = 'map-pane';
    this.element.tabIndex = 0;
    this.element.setAttribute('role', 'application');
    this.element.setAttribute('aria-label', options.label);
    this.#layer.className = 'map-layer';
    this.#canvas.setAttribute('aria-hidden', 'true');
    this.#svg.setAttribute('aria-hidden', 'true');
    this.#layer.append(this.#canvas, this.#svg);
    this.element.append(this.#layer);
    this.#listen();
  }

  get columns(): MapColumns | undefined {
    return this.#columns;
  }

  /** Shows a graph, and brings these nodes into view. Without nodes, shows the whole graph. */
  show(columns: MapColumns, nodes: readonly number[] = []): void {
    this.#columns = columns;
    this.#degree = degreesOf(columns);
    this.focus(nodes);
  }

  /** Brings these nodes into view. Without nodes, shows the whole graph. */
  focus(nodes: readonly number[]): void {
    this.#shown = nodes;
    this.#isMoved = false;
    if (this.#columns === undefined || this.#size.width === 0) return;
    this.#view = viewOf(nodes, this.#columns, this.#size);
    this.#draw();
  }

  /** Sets the drawing on top of the map. */
  draw(overlay: Overlay): void {
    this.#overlay = overlay;
    this.#drawOverlay();
  }

  /** Zooms by a factor around the middle of the pane. */
  zoom(factor: number): void {
    this.#zoomAt(factor, this.#size.width / 2, this.#size.height / 2);
  }

  /**
   * The button that lets the map fill the window, or returns it to its place in the page. The Escape key
   * returns it as well.
   */
  wholeButton(): TemplateResult {
    return html`<button type="button" class="quiet whole-button no-print"
      @click=${() => this.#takeWindow(!this.element.parentElement?.hasAttribute('data-whole'))}
      ><span class="if-part">Full window</span><span class="if-whole">Close</span></button>`;
  }

  #takeWindow(isWhole: boolean): void {
    this.element.parentElement?.toggleAttribute('data-whole', isWhole);
  }

  #listen(): void {
    const { left } = this.#options;
    const observer = new ResizeObserver(() => this.#measured());
    observer.observe(this.element);
    left.addEventListener('abort', () => {
      observer.disconnect();
      clearTimeout(this.#rest);
      this.#run++;
    });
    onTheme(() => this.#draw(), left);
    const pane = this.element;
    pane.addEventListener('wheel', (event) => this.#wheeled(event), { passive: false });
    pane.addEventListener('pointerdown', (event) => this.#pressed(event));
    pane.addEventListener('pointermove', (event) => this.#dragged(event));
    for (const end of ['pointerup', 'pointercancel'] as const) {
      pane.addEventListener(end, (event) => this.#released(event));
    }
    pane.addEventListener('keydown', (event) => this.#keyed(event));
  }

  #measured(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === this.#size.width && height === this.#size.height) return;
    const isFirst = this.#size.width === 0;
    const zoom = isFirst ? 1 : this.#view.scale / wholeView(this.#size).scale;
    this.#size = { width, height };
    if (this.#columns === undefined || width === 0) return;
    // After a phone is rotated, the same part of the map stays visible.
    if (isFirst || !this.#isMoved) this.focus(this.#shown);
    else {
      this.#view = { ...this.#view, scale: wholeView(this.#size).scale * zoom };
      this.#draw();
    }
  }

  #wheeled(event: WheelEvent): void {
    event.preventDefault();
    const box = this.element.getBoundingClientRect();
    const factor = Math.exp(-event.deltaY * WHEEL * (event.deltaMode === 1 ? 20 : 1));
    this.#zoomAt(factor, event.clientX - box.left, event.clientY - box.top);
  }

  #pressed(event: PointerEvent): void {
    this.element.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#pointers.size === 1) this.#moved = 0;
  }

  #dragged(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) return;
    const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
    this.#moved += Math.abs(dx) + Math.abs(dy);
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other !== undefined) {
      const box = this.element.getBoundingClientRect();
      const apart = (point: { x: number; y: number }) =>
        Math.hypot(point.x - other.x, point.y - other.y) || 1;
      const factor = apart({ x: event.clientX, y: event.clientY }) / apart(before);
      this.#zoomAt(factor, other.x - box.left, other.y - box.top);
    } else this.#pan(dx, dy);
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  #released(event: PointerEvent): void {
    if (!this.#pointers.delete(event.pointerId) || this.#moved > 6 || event.type !== 'pointerup') return;
    if (this.#columns === undefined) return;
    const box = this.element.getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    this.#options.picked?.(nodeAt(this.#columns, this.#degree, this.#view, this.#size, left, top));
  }

  #keyed(event: KeyboardEvent): void {
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => this.#pan(KEY_STEP, 0),
      ArrowRight: () => this.#pan(-KEY_STEP, 0),
      ArrowUp: () => this.#pan(0, KEY_STEP),
      ArrowDown: () => this.#pan(0, -KEY_STEP),
      '+': () => this.zoom(KEY_ZOOM),
      '-': () => this.zoom(1 / KEY_ZOOM),
      '0': () => this.focus([]),
      Escape: () => this.#takeWindow(false),
    };
    const move = event.ctrlKey || event.metaKey ? undefined : moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  }

  #pan(dx: number, dy: number): void {
    const { x, y, scale } = this.#view;
    this.#view = { x: x - dx / scale, y: y - dy / scale, scale };
    this.#transform();
  }

  /** Zooms and keeps the point of the map at this position in the pane in place. */
  #zoomAt(factor: number, left: number, top: number): void {
    const { width, height } = this.#size;
    const whole = wholeView(this.#size).scale;
    const scale = Math.min(whole * MAX_ZOOM, Math.max(whole * 0.5, this.#view.scale * factor));
    const [dx, dy] = [left - width / 2, top - height / 2];
    const shift = 1 / this.#view.scale - 1 / scale;
    this.#view = { x: this.#view.x + dx * shift, y: this.#view.y + dy * shift, scale };
    this.#transform();
  }

  /** Moves the drawn bitmap and SVG to the new view with a CSS transform. After a pause, they are redrawn. */
  #transform(): void {
    this.#isMoved = true;
    const by = this.#view.scale / this.#drawn.scale;
    const dx = (this.#drawn.x - this.#view.x) * this.#view.scale;
    const dy = (this.#drawn.y - this.#view.y) * this.#view.scale;
    this.#layer.style.transform = `translate(${dx}px, ${dy}px) scale(${by})`;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#draw(), REST_MS);
  }

  /** Draws the bitmap for the current view, then shows it. */
  #draw(): void {
    const columns = this.#columns;
    const { width, height } = this.#size;
    if (columns === undefined || width === 0) return;
    const run = ++this.#run;
    const view = this.#view;
    const ratio = Math.min(MAX_RATIO, devicePixelRatio);
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext('2d')!;
    context.scale(ratio, ratio);
    const colours = { line: colour('--line'), point: colour('--point') };
    const slices = drawMap(context, columns, this.#degree, view, this.#size, colours);
    const proceed = (): void => {
      if (run !== this.#run) return;
      const beganMs = performance.now();
      while (performance.now() - beganMs < SLICE_MS) {
        if (slices.next().done) {
          this.#put(canvas, view);
          return;
        }
      }
      setTimeout(proceed, 0);
    };
    proceed();
  }

  /** Replaces the bitmap with a newly drawn one. */
  #put(canvas: HTMLCanvasElement, view: MapView): void {
    this.#canvas.width = canvas.width;
    this.#canvas.height = canvas.height;
    this.#canvas.getContext('2d')!.drawImage(canvas, 0, 0);
    this.#drawn = view;
    this.#drawOverlay();
    this.element.dataset.drawn = 'yes';
    if (view === this.#view) this.#layer.style.transform = '';
    else this.#transform();
  }

  #drawOverlay(): void {
    const columns = this.#columns;
    if (columns === undefined || this.#size.width === 0) return;
    const { width, height } = this.#size;
    const at = (node: number): readonly [number, number] => [
      (columns.x[node]! - this.#drawn.x) * this.#drawn.scale + width / 2,
      (columns.y[node]! - this.#drawn.y) * this.#drawn.scale + height / 2,
    ];
    this.#svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const span = POSITION_SPAN * this.#drawn.scale;
    render(svg`${this.#overlay(at, span, width)}`, this.#svg as unknown as HTMLElement);
  }
}
