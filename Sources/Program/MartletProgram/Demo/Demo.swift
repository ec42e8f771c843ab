internal import Martlet
enum Demo { static var item: PlayerItem { PlayerItem("demo") } }
