#!/bin/sh
# usage: sh scripts/echarts.sh
# Builds the charts' script of `nbsvm report` from the npm registry: Apache ECharts with the charts and components that
# the page needs alone. The same versions give the same bytes. Needs npm and gzip.
set -eu
echarts=6.1.0 esbuild=0.28.2
assets=$(cd "$(dirname "$0")/../internal/page/assets" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{"private": true}' >package.json
npm install --silent --no-audit --no-fund "echarts@$echarts" "esbuild@$esbuild"

cat >entry.js <<'END'
import * as echarts from 'echarts/core';
import { BarChart, HeatmapChart, LineChart, ParallelChart, ScatterChart } from 'echarts/charts';
import {
	AriaComponent, GridComponent, LegendComponent, MarkLineComponent, ParallelComponent, TooltipComponent,
	VisualMapContinuousComponent,
} from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';
echarts.use([
	BarChart, HeatmapChart, LineChart, ParallelChart, ScatterChart,
	AriaComponent, GridComponent, LegendComponent, MarkLineComponent, ParallelComponent, TooltipComponent,
	VisualMapContinuousComponent, CanvasRenderer,
]);
export const init = echarts.init;
END
npx esbuild entry.js --bundle --minify --target=es2018 --charset=ascii --format=iife --global-name=echarts \
	--legal-comments=inline --log-level=warning --outfile=bundle.js \
	--banner:js="/* Apache ECharts $echarts, Copyright 2017-2026 The Apache Software Foundation; Apache License 2.0,
http://www.apache.org/licenses/LICENSE-2.0. This product includes software developed at The Apache Software Foundation
(https://www.apache.org/). It contains zrender, Copyright (c) 2017, Baidu Inc., under the BSD 3-Clause License, parts of
d3, Copyright 2010-2017 Mike Bostock, under the BSD 3-Clause License, and tslib. A build with some of the charts. */"
gzip -9 -n -c bundle.js >"$assets/echarts.min.js.gz"

{
	cat node_modules/echarts/LICENSE
	printf '\n\n=== zrender ===\n\n'
	cat node_modules/zrender/LICENSE
	for licence in node_modules/echarts/licenses/*; do
		printf '\n\n=== %s ===\n\n' "$(basename "$licence")"
		cat "$licence"
	done
	printf '\n\n=== tslib ===\n\n'
	cat node_modules/tslib/LICENSE.txt
} >"$assets/LICENSE-echarts"
cp node_modules/echarts/NOTICE "$assets/NOTICE-echarts"
wc -c bundle.js "$assets/echarts.min.js.gz"
