internal import RenderGraph
